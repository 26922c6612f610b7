1 |f a:2x
-1 |f b
