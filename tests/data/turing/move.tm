a 0 1 R a
  a 1 1 right halt
