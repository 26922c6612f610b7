start
a 0 1 R halt
