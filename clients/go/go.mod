module kith/clients/go

go 1.26
