# Writes C tables of the lines of the claims' list and rules in DIR to OUTPUT (claims/claim.h).
include(${CMAKE_CURRENT_LIST_DIR}/quote.cmake)

file(READ ${DIR}/claims.tsv text)
quote_lines("${text}" list)
set(rules "")
file(GLOB files ${DIR}/*.claims)
list(SORT files)
foreach(file ${files})
  file(READ ${file} text)
  quote_lines("${text}" lines)
  string(APPEND rules "${lines},\n    ")
endforeach()
file(WRITE ${OUTPUT} "#include <stddef.h>\n\n#include \"claims/claim.h\"\n\n\
const char *const nb_claim_list[] = {\n    ${list}, NULL};\n\nconst char *const nb_claim_rules[] = {\n    ${rules}NULL};\n")
