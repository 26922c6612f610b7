# The busy beaver of two states: 6 steps, 4 ones.
start A
blank 0
A 0 1 R B
A 1 1 L B
B 0 1 L A
B 1 1 R halt
