# add one
a 0 1 R halt please
