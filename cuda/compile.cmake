# cmake -DNVCC -DFLAGS -DSOURCE -DOBJECT -DLOG -P compile.cmake: one call of nvcc. What ptxas says of registers and
# memory goes into LOG and is not shown.
execute_process(COMMAND ${NVCC} ${FLAGS} -c ${SOURCE} -o ${OBJECT} -MD -MF ${OBJECT}.d RESULT_VARIABLE failed
                OUTPUT_VARIABLE said ERROR_VARIABLE said)
file(WRITE ${LOG} "${said}")
string(REGEX REPLACE "(^|\n)(ptxas info|    [0-9]+ bytes stack frame)[^\n]*" "" said "${said}")
string(STRIP "${said}" said)
if(said)
  message("${said}")
endif()
if(failed)
  message(FATAL_ERROR "nvcc failed on ${SOURCE}")
endif()
