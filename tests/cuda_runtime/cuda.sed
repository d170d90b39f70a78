# What of a .cu file is no C++, as cuda_runtime.h has it.
s/<<</->*nb_launch(/
s/>>>/)/
s/extern __shared__ (.*)\b(\w+)\[\];/\1*\2 = (decltype(\2))nb_dynamic_shared();/
