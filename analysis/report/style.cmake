# Writes the style sheet, the scripts and the player in DIR, of reports, to OUTPUT, a C string a line (report/style.h).
include(${CMAKE_CURRENT_LIST_DIR}/../quote.cmake)

set(table "#include <stddef.h>\n\n#include \"report/style.h\"\n")
foreach(pair "style page.css" "script sort.js" "replay replay.js" "player player.html")
  separate_arguments(pair)
  list(GET pair 0 name)
  list(GET pair 1 source)
  file(READ ${DIR}/${source} text)
  quote_c("${text}" text)
  string(REPLACE "\\n\"\n" "\\n\",\n" text "${text}")
  string(APPEND table "\nconst char *const nb_report_${name}[] = {\n    ${text},\n    NULL,\n};\n")
endforeach()
file(WRITE ${OUTPUT} "${table}")
