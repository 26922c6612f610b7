start a
a 0 1 R halt
start a
