/* SPDX-License-Identifier: Apache-2.0 */
/* A network rule as canonical text. */
#include "policy_rule.h"

#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "buf.h"
#include "cleanup.h"
#include "json.h"
#include "json_write.h"
#include "strv.h"

#define PORT_MAX 65535

struct rule {
    const char *host;
    const char *cidr;
    const char *protocol;
    bool is_private;
    uint16_t ports[POLICY_RULE_PORTS_MAX];
    size_t n_ports;
};

static int compare_ports(const void *a, const void *b)
{
    return *(const uint16_t *)a - *(const uint16_t *)b;
}

/* What is wrong, or NULL. */
static const char *ports_read(
    const struct json *value, struct rule *rule, const struct json **ret_place)
{
    if (value->type != JSON_ARRAY || value->list.n == 0)
        return "ports are a list of numbers";
    if (value->list.n > POLICY_RULE_PORTS_MAX)
        return "too many ports";
    for (const struct json *item = value->list.first; item; item = item->next) {
        uint64_t port = 0;
        *ret_place = item;
        if (json_u64(item, PORT_MAX, &port) < 0 || port == 0)
            return "not a port";
        rule->ports[rule->n_ports++] = (uint16_t)port;
    }
    qsort(rule->ports, rule->n_ports, sizeof(rule->ports[0]), compare_ports);
    return NULL;
}

static const char *name_read(const struct json *value, const char *letters, const char **ret)
{
    if (value->type != JSON_STRING || value->string.len == 0)
        return "not a name or address";
    if (value->string.text[strspn(value->string.text, letters)] != '\0')
        return "byte that is in no name or address";
    *ret = value->string.text;
    return NULL;
}

static const char *member_read(
    const struct json *member, struct rule *rule, const struct json **ret_place)
{
    *ret_place = member;
    if (str_eq(member->key, "host"))
        return name_read(member, "abcdefghijklmnopqrstuvwxyz0123456789-.*", &rule->host);
    if (str_eq(member->key, "cidr"))
        return name_read(member, "0123456789abcdef.:/", &rule->cidr);
    if (str_eq(member->key, "ports"))
        return ports_read(member, rule, ret_place);
    if (str_eq(member->key, "private")) {
        if (member->type != JSON_BOOL)
            return "neither true nor false";
        rule->is_private = member->boolean;
        return NULL;
    }
    if (!str_eq(member->key, "protocol"))
        return "no such key of a rule; known are host, cidr, ports, private, protocol";
    if (member->type != JSON_STRING ||
        (!str_eq(member->string.text, "tcp") && !str_eq(member->string.text, "udp")))
        return "not one of tcp, udp";
    rule->protocol = member->string.text;
    return NULL;
}

static const char *rule_write(struct arena *arena, const struct rule *rule)
{
    AUTO(buf) struct buf text = BUF_INIT;
    struct json_writer w = JSON_WRITER_INIT(&text, 0);

    json_begin(&w, NULL, '{');
    json_put_str(&w, rule->host ? "host" : "cidr", rule->host ? rule->host : rule->cidr);
    if (rule->n_ports > 0) {
        json_begin(&w, "ports", '[');
        for (size_t i = 0; i < rule->n_ports; i++) {
            if (i == 0 || rule->ports[i] != rule->ports[i - 1])
                json_put_u64(&w, NULL, rule->ports[i]);
        }
        json_end(&w, ']');
    }
    if (rule->is_private)
        json_put_bool(&w, "private", true);
    if (rule->protocol)
        json_put_str(&w, "protocol", rule->protocol);
    json_end(&w, '}');
    return arena_strdup(arena, buf_str(&text));
}

const char *policy_rule_text(struct arena *arena, const struct json *rule,
    const struct json **ret_place, const char **ret_what)
{
    struct rule read = { 0 };
    const struct json *place = rule;
    const char *what = rule->type == JSON_OBJECT ? NULL : "a rule is an object";

    if (!what) {
        for (const struct json *member = rule->list.first; member && !what; member = member->next)
            what = member_read(member, &read, &place);
        if (!what) {
            place = rule;
            if (!read.host == !read.cidr)
                what = "a rule has either a host or a cidr";
        }
    }
    if (!what)
        return rule_write(arena, &read);
    *ret_place = place;
    *ret_what = what;
    return NULL;
}
