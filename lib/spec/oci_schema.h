/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Purpose  Tables that say how a JSON object of an OCI document lies in a C struct. One table
 *          serves the reader and the writer, so that what is read is what is written.
 * Runs in  any (pure); constant data
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct oci_object;

/* A word of the spec and the number that stands for it. A list ends with a NULL text; of several
 * words for one number the first is written. */
struct oci_choice {
    const char *text;
    unsigned value;
};

enum oci_kind {     /* in C: */
    OCI_STRING,     /* const char * */
    OCI_BOOL,       /* bool */
    OCI_UNSIGNED,   /* uint32_t or uint64_t */
    OCI_SIGNED,     /* int32_t or int64_t */
    OCI_CHOICE,     /* char, int, unsigned or an enum, by a list of choices */
    OCI_FLAGS,      /* unsigned or uint64_t: an array of words, ORed */
    OCI_STRINGS,    /* char ** and a count */
    OCI_NUMBERS,    /* uint32_t * and a count */
    OCI_OBJECT,     /* a struct */
    OCI_POINTER,    /* a pointer to a struct */
    OCI_OBJECTS,    /* an array of structs and a count */
    OCI_STRING_MAP, /* an array of struct oci_pair and a count */
    OCI_OBJECT_MAP, /* an array of structs whose first member is const char *key, and a count */
};

/* Options of a field. */
#define OCI_REQUIRED        (1U << 0) /* refused when absent */
#define OCI_ZERO_IS_ABSENT  (1U << 1) /* engines write 0 for "not set" */
#define OCI_MINUS_IS_ABSENT (1U << 2) /* -1 is the wildcard, as absent */
#define OCI_EMPTY_IS_ABSENT (1U << 3) /* a pointer stays NULL for {} */
#define OCI_NULL_IS_SKIPPED (1U << 4) /* null items are left out instead of refused */
#define OCI_OMIT_DEFAULT    (1U << 5) /* not written when it has its fallback */
#define OCI_WRITE_FALSE     (1U << 6) /* a bool that is written in any case */
#define OCI_MODE_BITS       (1U << 7) /* a file mode: type bits are cut off */

#define OCI_NO_ASIDE (-1)

struct oci_field {
    const char *name;
    enum oci_kind kind;
    unsigned options;
    unsigned fallback; /* of a choice that is absent */
    uint16_t offset;
    uint16_t size; /* of the member */
    int32_t aside; /* offset of has_x, n_x or is_set; OCI_NO_ASIDE when the field has none */
    uint64_t max;  /* of a number; 0: what its type holds */
    const struct oci_object *object;
    const struct oci_choice *choices;
};

struct oci_object {
    const struct oci_field *fields;
    size_t n_fields; /* at most 64 */
    size_t size;
    bool is_closed; /* a map with known keys: others are refused instead of ignored */
};

/* Documents. */
extern const struct oci_object oci_config_object;    /* struct oci_config */
extern const struct oci_object oci_process_object;   /* struct oci_process */
extern const struct oci_object oci_resources_object; /* struct oci_resources */

extern const struct oci_choice oci_namespace_choices[];
extern const struct oci_choice oci_rlimit_choices[];
extern const struct oci_choice oci_seccomp_action_choices[];
extern const struct oci_choice oci_seccomp_operator_choices[];
extern const struct oci_choice oci_seccomp_flag_choices[];

/* The word of a number, or NULL. */
const char *oci_choice_text(const struct oci_choice *choices, unsigned value);
/* The entry with that word, or NULL. */
const struct oci_choice *oci_choice_find(const struct oci_choice *choices, const char *text);
