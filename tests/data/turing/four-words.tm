a 0 1 R
