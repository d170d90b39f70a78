# quote_c(TEXT RESULT): the text as C string literals, a line of it each.
function(quote_c text result)
  string(REPLACE "\\" "\\\\" text "${text}")
  string(REPLACE "\"" "\\\"" text "${text}")
  string(REPLACE "\n" "\\n\"\n    \"" text "${text}")
  set(${result} "\"${text}\"" PARENT_SCOPE)
endfunction()
