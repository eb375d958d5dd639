# SPDX-License-Identifier: Apache-2.0
# runa_embed(TARGET ARRAY HEADER STRUCT PATTERN): files become an array of { name without extension, bytes, length }, by
# name, ended by an empty entry, in a source file of the build folder. HEADER declares ARRAY and STRUCT.
function(runa_embed target array header struct pattern)
    file(GLOB files CONFIGURE_DEPENDS ${pattern})
    list(SORT files)
    set(texts "")
    set(entries "")
    foreach(file IN LISTS files)
        get_filename_component(name ${file} NAME_WE)
        string(MAKE_C_IDENTIFIER text_${name} symbol)
        file(READ ${file} bytes HEX)
        string(REGEX REPLACE "(................................)" "\\1\n   " bytes "${bytes}")
        string(REGEX REPLACE "([0-9a-f][0-9a-f])" " 0x\\1," bytes "${bytes}")
        string(APPEND texts "static const unsigned char ${symbol}[] = {\n   ${bytes} 0x00\n};\n")
        string(APPEND entries "    { \"${name}\", (const char *)${symbol}, sizeof(${symbol}) - 1 },\n")
        set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
    endforeach()
    set(source ${CMAKE_BINARY_DIR}/${array}.c)
    string(CONCAT content "/* Made by contrib/cmake/embed.cmake. */\n#include \"${header}\"\n\n${texts}\n"
        "const struct ${struct} ${array}[] = {\n${entries}    { 0 },\n};\n")
    file(CONFIGURE OUTPUT ${source} @ONLY CONTENT "${content}")
    target_sources(${target} PRIVATE ${source})
endfunction()
