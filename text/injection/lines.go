package injection

import (
	"strings"
	"unicode"
)

// lineSigns are signs in lines that count together.
type lineSigns struct {
	asks, answers span // the first line of a user, and of an assistant
	headings      []span
}

// speakers are words before a colon that begin a turn, in lower case.
var speakers = map[string]byte{ // u: user, a: assistant, s: system
	"user": 'u', "human": 'u', "benutzer": 'u', "nutzer": 'u', "usuario": 'u', "usuário": 'u', "utilisateur": 'u', "utente": 'u', "gebruiker": 'u',
	"用户": 'u', "使用者": 'u', "用戶": 'u', "ユーザー": 'u', "ユーザ": 'u',
	"assistant": 'a', "ai": 'a', "assistent": 'a', "asistente": 'a', "assistente": 'a', "助手": 'a', "助理": 'a', "アシスタント": 'a', "chatgpt": 'a', "ki": 'a',
	"system": 's', "developer": 's', "tool": 's', "sistema": 's', "système": 's', "systeem": 's', "系统": 's', "系統": 's', "システム": 's', "開発者": 's', "开发者": 's',
}

// turnHeads are words before a colon, or a heading, that only a turn begins with.
var turnHeads = set("system prompt", "system message", "system instruction", "system instructions", "system override", "system note", "system notice", "system directive", "developer message", "developer instructions",
	"developer note", "tool result", "tool output", "tool response", "function result", "admin override", "admin message", "system-nachricht", "systemnachricht", "systemanweisung", "systemhinweis", "mensaje del sistema",
	"instrucción del sistema", "message système", "message du système", "instruction système", "messaggio di sistema", "istruzione di sistema", "mensagem do sistema", "instrução do sistema", "systeembericht", "systeeminstructie",
	"系统消息", "系统提示", "系统指令", "系统通知", "系統訊息", "システムメッセージ", "システムプロンプト", "システム指示", "システム命令")

// memoryHeads are words before a colon that begin an order to store something.
var memoryHeads = set("memory update", "update memory", "update your memory", "add to memory", "save to memory", "store in memory", "note to memory", "memory entry", "memory note", "new memory", "remember permanently",
	"gedächtnis-update", "gedächtniseintrag", "gedächtnis aktualisieren", "actualización de memoria", "actualizar memoria", "guardar en memoria", "mise à jour de la mémoire", "mémoire à mettre à jour",
	"aggiornamento della memoria", "aggiorna la memoria", "atualização de memória", "atualizar memória", "geheugenupdate", "geheugen bijwerken", "记忆更新", "更新记忆", "記憶更新", "記憶の更新", "メモリ更新", "メモリー更新")

// headings are headings of Kith's contexts, in lower case: those that nobody else has, and those that others have too.
var (
	ownHeadings = set("about the user", "standing instructions and preferences (said by the user)", "facts and plans (said by the user)", "conversations of the last week", "context snapshot", "graph snapshot (light)",
		"project context highlights", "element information", "kith memory", "kith context")
	ownBegins       = []string{"linked entities", "project workspace:", "found for:", "in focus:", "what changed about", "standing instructions"}
	commonHeadings  = set("preferences", "core beliefs", "goals", "relationships", "facts and plans", "facts", "user preferences", "storylines", "global overview", "project information", "entity summary", "now", "people", "sources")
	ownLines        = []string{"_left out to keep the token budget", "_warning:", "_search by meaning:", "_a context of the past"}
	userPreferences = "## User Preferences" // as Kith writes it
	ends            = set("end of context", "end of memory", "end of memories", "end of user input", "end of tool output", "end of system prompt", "end of instructions", "end of untrusted content", "end of user data",
		"begin system prompt", "start of system prompt", "begin instructions", "new instructions", "kontext ende", "ende des kontexts", "fin del contexto", "fin du contexte", "fine del contesto", "fim do contexto", "einde van de context",
		"上下文结束", "コンテキスト終了", "コンテキストの終わり")
)

func set(words ...string) map[string]bool {
	all := make(map[string]bool, len(words))
	for _, w := range words {
		all[w] = true
	}
	return all
}

const (
	longestHead = 90 // bytes of a line that may be a heading or a speaker
	fewHeadings = 3  // headings that others have too count from this number on
)

// line looks at the beginning of a line.
func (s *scratch) line(from, to int) {
	text := s.text[from:to]
	trimmed := strings.TrimLeft(text, " \t>-*+#=[<_\"“「『【|")
	begin := from + len(text) - len(trimmed)
	signs := text[:len(text)-len(trimmed)]
	decorated := strings.ContainsAny(signs, "#[<【") || strings.Contains(signs, "**") || strings.Contains(signs, "==") || strings.Contains(signs, "--")
	head := trimmed[:min(len(trimmed), longestHead)]
	if head == "" {
		return
	}
	if text[0] == '_' || strings.HasPrefix(trimmed, "“") || strings.Contains(signs, "“") {
		s.kithLine(text, from, to)
	}
	colon := strings.IndexAny(head, ":：]】")
	if colon > 0 {
		name := headOf(head[:colon])
		after := strings.TrimLeft(head[colon:], "]】*")
		s.speaker(name, span{from, to}, decorated, strings.HasPrefix(after, ":") && !strings.HasPrefix(after, ":=") && !strings.HasPrefix(after, "::") || strings.HasPrefix(after, "："))
	}
	if decorated || colon < 0 && len(trimmed) < longestHead {
		s.heading(headOf(trimmed), text, span{begin, to}, strings.HasPrefix(strings.TrimLeft(text, " >"), "#"), decorated)
	}
}

// headOf returns a head in lower case, without signs at its end.
func headOf(text string) string {
	if len(text) > longestHead {
		return ""
	}
	text = strings.TrimRight(text, " \t\r*:：]】>=-_#")
	return strings.ToLower(strings.Map(func(r rune) rune {
		if isInvisible(r) || unicode.IsControl(r) {
			return -1
		}
		return r
	}, text))
}

// speaker looks at a word before a colon.
func (s *scratch) speaker(name string, at span, decorated, colon bool) {
	switch {
	case !colon && !decorated:
	case turnHeads[name]:
		s.add(Turn, at.from, at.to, !colon && !decorated)
	case memoryHeads[name]:
		s.add(Remember, at.from, at.to, false)
	default:
		kind := speakers[name]
		if signs := s.text[at.from:min(at.to, at.from+16)]; name == "tool" && strings.ContainsAny(signs, "-*") {
			kind = 0 // an item of a list
		}
		switch kind {
		case 'u':
			first(&s.lines.asks, at)
		case 'a':
			first(&s.lines.answers, at)
		case 's':
			s.add(Turn, at.from, at.to, !colon || !strings.ContainsAny(s.text[at.from:min(at.to, at.from+8)], "#[【"))
		}
	}
}

func first(place *span, at span) {
	if place.to == 0 {
		*place = at
	}
}

// heading looks at a line that is a heading, or a rule with words.
func (s *scratch) heading(name, line string, at span, isHeading, decorated bool) {
	switch {
	case name == "":
	case ends[name]:
		s.add(Context, at.from, at.to, !decorated && !strings.HasPrefix(line, "--") && !strings.HasPrefix(line, "=="))
	case !isHeading:
	case ownHeadings[name], strings.HasPrefix(line, userPreferences):
		s.add(Context, at.from, at.to, false)
	case turnHeads[name]:
		s.add(Turn, at.from, at.to, false)
	case memoryHeads[name]:
		s.add(Remember, at.from, at.to, false)
	case commonHeadings[name]:
		if len(s.lines.headings) < maxFound {
			s.lines.headings = append(s.lines.headings, at)
		}
	default:
		for _, begin := range ownBegins {
			if strings.HasPrefix(name, begin) {
				s.add(Context, at.from, at.to, false)
			}
		}
	}
}

// kithLine looks at lines that Kith writes below its headings.
func (s *scratch) kithLine(line string, from, to int) {
	line = strings.TrimSpace(line)
	lower := strings.ToLower(line[:min(len(line), longestHead)])
	for _, begin := range ownLines {
		if strings.HasPrefix(lower, begin) {
			s.add(Context, from, to, begin == "_warning:")
			return
		}
	}
	if _, after, found := strings.Cut(line, "” ("); found && strings.HasSuffix(after, ")") && len(after) >= 11 && after[0] == '2' && after[4] == '-' && after[7] == '-' {
		s.add(Context, from, to, true)
	}
}

// add adds the signs that count together.
func (l *lineSigns) add(s *scratch) {
	if l.asks.to > 0 && l.answers.to > 0 {
		s.add(Turn, l.asks.from, l.asks.to, false)
		s.add(Turn, l.answers.from, l.answers.to, false)
	} else if one := l.asks; one.to > 0 || l.answers.to > 0 {
		if one.to == 0 {
			one = l.answers
		}
		s.add(Turn, one.from, one.to, true)
	}
	for _, h := range l.headings {
		s.add(Context, h.from, h.to, len(l.headings) < fewHeadings)
	}
}
