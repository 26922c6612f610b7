x,y | a
x,x | b
