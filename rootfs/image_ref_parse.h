/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Purpose  What a person writes for an image, as a struct:
 *            docker-archive:FILE[:NAME]  oci:DIRECTORY[:TAG]  oci-archive:FILE[:TAG]  NAME[:TAG]  [NAME@]sha256:HEX
 * Runs in  any (pure)
 * Trusts   nothing: names of archives come through here too
 * Owns     strings live in the arena
 * Fails    -EINVAL with the text quoted
 * Source   image-spec image-layout.md (org.opencontainers.image.ref.name); the reference grammar of registries
 */
#pragma once
#include <stddef.h>

struct arena;
struct error;

#define IMAGE_NAME_MAX 255 /* with its tag */
#define IMAGE_TAG_MAX  128

enum image_transport { IMAGE_STORED, IMAGE_DOCKER_ARCHIVE, IMAGE_OCI_LAYOUT, IMAGE_OCI_ARCHIVE };

struct image_ref {
    enum image_transport transport;
    const char *path; /* NULL for IMAGE_STORED */
    const char *
        name; /* IMAGE_STORED: canonical, or NULL; else which image of the archive, NULL: the only one */
    const char *digest; /* IMAGE_STORED: "sha256:HEX", the image's id, or NULL */
};

int image_ref_parse(
    struct arena *arena, const char *text, struct image_ref *ret, struct error *err);
/* The one form in which names are kept: ":latest" added, "docker.io/" and "library/" cut. */
int image_name_parse(struct arena *arena, const char *text, const char **ret, struct error *err);
const char *image_transport_name(
    enum image_transport transport); /* "docker-archive", … ; "" for IMAGE_STORED */
