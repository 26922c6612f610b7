1 |f a:1e39
-1 |f b
