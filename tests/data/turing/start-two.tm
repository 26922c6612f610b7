start a b
a 0 1 R halt
