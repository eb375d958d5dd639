/* SPDX-License-Identifier: Apache-2.0 */
/* Names and look-ups of the configuration. */
#include "oci_config.h"

#include "oci_schema.h"
#include "strv.h"

const char *oci_namespace_name(enum oci_namespace_type type)
{
    return oci_choice_text(oci_namespace_choices, type);
}

const char *oci_hook_point_name(enum oci_hook_point point)
{
    static const char *const names[OCI_HOOK_POINTS] = {
        [OCI_HOOK_PRESTART] = "prestart",
        [OCI_HOOK_CREATE_RUNTIME] = "createRuntime",
        [OCI_HOOK_CREATE_CONTAINER] = "createContainer",
        [OCI_HOOK_START_CONTAINER] = "startContainer",
        [OCI_HOOK_POSTSTART] = "poststart",
        [OCI_HOOK_POSTSTOP] = "poststop",
    };
    return names[point];
}

const char *oci_rlimit_name(int type)
{
    return type < 0 ? NULL : oci_choice_text(oci_rlimit_choices, (unsigned)type);
}

const char *oci_seccomp_action_name(enum oci_seccomp_action action)
{
    return oci_choice_text(oci_seccomp_action_choices, action);
}

const struct oci_namespace *oci_namespace_find(
    const struct oci_config *config, enum oci_namespace_type type)
{
    for (size_t i = 0; i < config->linux_.n_namespaces; i++) {
        if (config->linux_.namespaces[i].type == type)
            return &config->linux_.namespaces[i];
    }
    return NULL;
}

const char *oci_annotation_get(const struct oci_config *config, const char *key)
{
    for (size_t i = 0; i < config->n_annotations; i++) {
        if (str_eq(config->annotations[i].key, key))
            return config->annotations[i].value;
    }
    return NULL;
}
