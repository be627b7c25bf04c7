module homeostat.dev/tools/apiserver-data/printed

go 1.26.0
