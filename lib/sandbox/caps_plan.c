/* SPDX-License-Identifier: Apache-2.0 */
/* Capability names to sets of bits. */
#include "caps_plan.h"

#include <ctype.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <sys/capability.h>

#include "arena.h"
#include "buf.h"
#include "oci_config.h"
#include "strv.h"

/* libcap reads names of any case, and numbers: here a name is what the specification writes. */
static bool is_spec_name(const char *name)
{
    if (!str_starts(name, "CAP_") || strlen(name) >= CAPS_NAME_SIZE)
        return false;
    for (const char *c = name; *c != '\0'; c++)
        if (!isupper((unsigned char)*c) && *c != '_')
            return false;
    return true;
}

int caps_number(const char *name)
{
    cap_value_t number;
    if (!is_spec_name(name) || cap_from_name(name, &number) < 0 || number < 0 ||
        number > CAPS_LAST_MAX)
        return -1;
    return number;
}

void caps_name(unsigned number, char ret[CAPS_NAME_SIZE])
{
    char *name = cap_to_name((cap_value_t)number);
    if (name != NULL && str_starts(name, "cap_") && strlen(name) < CAPS_NAME_SIZE) {
        size_t i = 0;
        for (; name[i] != '\0'; i++)
            ret[i] = (char)toupper((unsigned char)name[i]);
        ret[i] = '\0';
    } else {
        (void)snprintf(ret, CAPS_NAME_SIZE, "CAP_%u", number);
    }
    (void)cap_free(name);
}

struct unknown_names {
    struct arena *arena;
    struct strv *names; /* NULL: not wanted */
};

static void report_unknown(const struct unknown_names *unknown, const char *name)
{
    if (unknown->names != NULL && !strv_has(unknown->names, name))
        strv_add(unknown->arena, unknown->names, name);
}

/* The bits of a list; what is not within `allowed` is reported instead. */
static uint64_t set_of(
    char *const *names, size_t n_names, uint64_t allowed, const struct unknown_names *unknown)
{
    uint64_t set = 0;
    for (size_t i = 0; i < n_names; i++) {
        int number = caps_number(names[i]);
        if (number < 0 || (allowed >> number & 1) == 0)
            report_unknown(unknown, names[i]);
        else
            set |= UINT64_C(1) << number;
    }
    return set;
}

void caps_plan_build(struct arena *arena, const struct oci_capabilities *capabilities,
    unsigned last, struct caps_plan *ret, struct strv *ret_unknown)
{
    *ret = (struct caps_plan){ 0 };
    if (capabilities == NULL)
        return;
    const struct oci_capabilities *c = capabilities;
    const struct unknown_names unknown = { arena, ret_unknown };
    const uint64_t all = last >= CAPS_LAST_MAX ? UINT64_MAX : (UINT64_C(1) << (last + 1)) - 1;
    ret->bounding = set_of(c->bounding, c->n_bounding, all, &unknown);
    ret->effective = set_of(c->effective, c->n_effective, all, &unknown);
    ret->inheritable = set_of(c->inheritable, c->n_inheritable, all, &unknown);
    ret->permitted = set_of(c->permitted, c->n_permitted, all, &unknown);
    ret->ambient = set_of(c->ambient, c->n_ambient, ret->permitted & ret->inheritable, &unknown);
}

static void print_set(struct buf *out, const char *label, uint64_t set)
{
    buf_printf(out, "caps %s", label);
    for (unsigned i = 0; i <= CAPS_LAST_MAX; i++) {
        if ((set >> i & 1) == 0)
            continue;
        char name[CAPS_NAME_SIZE];
        caps_name(i, name);
        buf_printf(out, " %s", name);
    }
    buf_puts(out, set == 0 ? " none\n" : "\n");
}

void caps_plan_limit(struct arena *arena, struct caps_plan *plan, uint64_t available, struct strv *ret_lacking)
{
    uint64_t lacking = (plan->permitted | plan->bounding) & ~available;
    char name[CAPS_NAME_SIZE];

    for (unsigned i = 0; i <= CAPS_LAST_MAX; i++) {
        if (!(lacking >> i & 1))
            continue;
        caps_name(i, name);
        strv_add(arena, ret_lacking, arena_strdup(arena, name));
    }
    plan->bounding &= available;
    plan->effective &= available;
    plan->inheritable &= available;
    plan->permitted &= available;
    plan->ambient &= available;
}

void caps_plan_print(const struct caps_plan *plan, struct buf *out)
{
    print_set(out, "bounding", plan->bounding);
    print_set(out, "effective", plan->effective);
    print_set(out, "inheritable", plan->inheritable);
    print_set(out, "permitted", plan->permitted);
    print_set(out, "ambient", plan->ambient);
}
