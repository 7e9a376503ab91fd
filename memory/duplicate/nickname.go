package duplicate

import "strings"

// nicknames has the given names that short forms stand for, the short forms after each. A short form may stand for several.
const nicknames = `
abigail abby gail
abraham abe bram
albert al bert bertie
alexander alex al sandy sasha xander lex alec
alexandra alex sandra sandy sasha lexi
alfred al alf alfie fred
amanda mandy
andrew andy drew
andreas andi andy
anastasia nastya stacy
anthony tony ant
antonio tonio toni tony
arthur art artie
barbara barb barbie babs
benjamin ben benny benji
bernard bernie
catherine cathy kate katie kat kitty cat
katherine kathy kate katie kat kitty
katharina kathi kate katja
charles charlie chuck chas chip
charlotte charlie lottie
christina chris tina chrissy
christine chris tina chrissy
christopher chris kit topher
christian chris
cynthia cindy
daniel dan danny
daniela dani
david dave davey
deborah deb debbie
dmitri dima mitya
dorothy dot dottie dolly
edward ed eddie ned ted teddy
eleanor ellie nell nora
elizabeth liz lizzie beth betty betsy eliza libby lisa elsie
emily em emmy
eugene gene
evgeny zhenya
francis frank fran
francisco paco pancho
frances fran fanny
franklin frank
frederick fred freddie rick
friedrich fritz fred
gabriel gabe
gabriella gabby
george georgie
gerald gerry jerry
geoffrey geoff jeff
gregory greg
harold harry hal
heinrich heinz heini
henry hank harry hal
herbert bert herb
ignacio nacho
isabella bella izzy
isabel bel izzy
jacob jake
jacqueline jackie
james jim jimmy jamie
janet jan
jeffrey jeff
jennifer jen jenny
jeremy jerry jem
jessica jess jessie
johannes hans johan jo
john johnny jack jon
jonathan jon jonny nathan
joseph joe joey jo
josef sepp
jose pepe
josephine jo josie
joshua josh
judith judy
karl charly
kenneth ken kenny
kimberly kim
kristina kris tina
lawrence larry laurie
leonard leo len lenny
leonardo leo
louis lou louie
louise lou
lucas luke luca
madeleine maddie
margaret maggie meg peggy marge margie greta rita daisy
maria mia mary masha
martha marty
matthew matt matty
matthias matt hias
maximilian max
maxwell max
michael mike mick micky mikey misha
michelle shelly
mikhail misha
mohammed mo
nathan nate
nathaniel nate nathan
natalie nat
natalia natasha nat
nicholas nick nicky
nicole nicky
nikolaus klaus niko
olivia liv livvy
oliver ollie
pamela pam
patricia pat patty trish tricia
patrick pat paddy
peter pete
philip phil pip
rachel rach
raymond ray
rebecca becky becca
richard rick ricky dick rich richie
robert bob bobby rob robbie bert
roberto beto rob
ronald ron ronnie
rosemary rose rosie
roger rodge
samantha sam
samuel sam sammy
sandra sandy
sarah sally
sebastian seb basti
sergey seryozha
sophia sophie
stanley stan
stephanie steph
stephen steve stevie
steven steve stevie
susan sue susie suzy
suzanne sue suzy
theodore ted theo teddy
theresa tess terry tracy
thomas tom tommy
timothy tim timmy
tobias tobi toby
ulrich uli
valentina valya
valerie val
victor vic
victoria vicky tori
vincent vince vinny
virginia ginny
vladimir vova volodya
walter walt wally
wilhelm willi
william bill billy will willy liam
wolfgang wolf
yekaterina katya
zachary zach zack
`

// formal has the names that each short form, or name, stands for.
var formal = func() map[string][]string {
	known := map[string][]string{}
	for line := range strings.Lines(strings.TrimSpace(nicknames)) {
		names := strings.Fields(line)
		for _, short := range names {
			known[short] = append(known[short], names[0])
		}
	}
	return known
}()

// sameNickname reports whether two given names may be forms of one.
func sameNickname(a, b string) bool {
	for _, one := range formal[a] {
		for _, other := range formal[b] {
			if one == other {
				return true
			}
		}
	}
	return false
}
