1 | a
-1 b c
