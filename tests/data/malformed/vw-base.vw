1 1 zebra |f a
-1 |f b
