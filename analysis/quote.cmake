# quote_c(TEXT RESULT): the text as C string literals, a line of it each.
function(quote_c text result)
  string(REPLACE "\\" "\\\\" text "${text}")
  string(REPLACE "\"" "\\\"" text "${text}")
  string(REPLACE "\n" "\\n\"\n    \"" text "${text}")
  set(${result} "\"${text}\"" PARENT_SCOPE)
endfunction()

# a C string a line of the text: C promises no longer ones than 4095 letters
function(quote_lines text out)
  quote_c("${text}" quoted)
  string(REPLACE "\\n\"\n" "\\n\",\n" quoted "${quoted}")
  set(${out} "${quoted}" PARENT_SCOPE)
endfunction()
