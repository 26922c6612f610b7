accept done
a 0 1 R accept
