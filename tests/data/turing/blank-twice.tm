blank 0
blank 1
a 0 1 R halt
