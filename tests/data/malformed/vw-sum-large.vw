1 |f a:3e38 a:3e38
-1 |f b
