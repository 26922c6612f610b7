a 0 1 R a
a 1 1 R halt
a 0 0 L a
