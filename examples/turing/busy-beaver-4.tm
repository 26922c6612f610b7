# The busy beaver of four states (Brady 1983): of all machines with four states and two symbols that
# halt on a blank tape, none makes more than its 107 steps, none writes more than its 13 ones.
# tlu logic run --turing busy-beaver-4.tm
blank 0
A 0 1 R B
A 1 1 L B
B 0 1 L A
B 1 0 L C
C 0 1 R halt
C 1 1 L D
D 0 1 R D
D 1 0 R A
