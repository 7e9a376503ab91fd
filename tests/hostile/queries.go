package hostile

import (
	"strings"
)

// Queries are texts that Lucene could read as more than words.
var Queries = []string{
	"", " ", "\x01\x02\x7f\u0085\u2028\ufeff", `\`, `\\`, `"`, `""`, `"a`, "'", "''", "`", "(", ")", "()", "foo AND (", "AND", "NOT", "OR", "a OR", "TO", "to",
	"name:*", "*", "*:*", "?", "a*", "*a", "a~", "a~99", "a^", "a^99", "[a TO b]", "{a TO b}", "[", "a [", ">5", "<=5", "+", "-", "+a -b", "&&",
	"||", "!", "/", "/a/", "/[/",
	"search_scope:k0", "_exists_:a", "the", "the and of", "it is to be", "x AND NOT y", `a\`, `a\:b`, "a:b:c", "a::b", ":", ":a", "a:", "1:2", "a.b",
	"a..b", ".", "1,2;3", "_", "__init__", "a_b_", "🎉", "👍🏽", "👨‍👩‍👧", "🇩🇪", "1️⃣",
	"日本語", "สวัสดีครับ", "مرحبا بالعالم", "می\u200cخواهم", "שלום\u200f", "नमस्ते", "é", "e\u0301\u0301", "\u0301", "İI", "ǅ", "ß", "ﬁ", "𐌰𐌱", "Ａ：Ｂ",
	"ＡＮＤ", "'s", "a's", "’", "\xff\xfe", "\U000e0001",
	"${jndi:ldap://x}", "'; DROP", "MATCH (n) DETACH DELETE n", "<script>", "%00", "a\u3000b", "a\u00a0b", "a\u200bb", "a\u00adb", "©", "™x", "½", "x²",
	strings.Repeat("(", 10_000), strings.Repeat(`\`, 10_000), strings.Repeat("a ", 5_000), strings.Repeat("a.", 5_000),
	strings.Repeat("a:b_", 4_000), strings.Repeat("x", 16_384), strings.Repeat("🎉", 16_384),
	strings.Repeat("日", 16_384), strings.Repeat("ก", 16_384), strings.Repeat("م", 16_384), strings.Repeat("\u0301", 16_384),
	strings.Repeat("a\u0301", 8_000), strings.Repeat("\x01", 16_384), strings.Repeat("\u200d", 16_384), strings.Repeat("🇩", 16_384),
	runes(0x4e00), runes(0x0e01), runes(0x0621), runes(0x1f300), runes(0x0300), runes(1),
	runes(0x10000), spaced(0x4e00), spaced(0x61), spaced(0x1f300),
}

// runes returns 16,384 characters, beginning with from.
func runes(from rune) string {
	var b strings.Builder
	for i := range rune(16_384) {
		b.WriteRune(from + i%0x1000)
	}
	return b.String()
}

// spaced returns many words of some letters.
func spaced(from rune) string {
	var b strings.Builder
	for i := range rune(4_000) {
		b.WriteRune(from + i%20)
		b.WriteRune(from + i/20%20)
		b.WriteRune(from + i/400)
		b.WriteString("zzzzzzz ")
	}
	return b.String()
}
