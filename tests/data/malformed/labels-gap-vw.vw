x,y | a
x,,y | b
