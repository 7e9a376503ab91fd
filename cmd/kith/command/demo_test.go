package command

import (
	"os/exec"
	"testing"
)

func TestContextCurlIsReady(t *testing.T) {
	t.Parallel()
	line := contextCurl("http://127.0.0.1:8080/", "it's", "c 1/Ada&Bo")
	out, err := exec.Command("sh", "-c", "curl() { printf '%s\\n' \"$@\"; }; "+line).Output()
	if err != nil {
		t.Fatal(err)
	}
	want := "-s\n-H\nAuthorization: Bearer it's\nhttp://127.0.0.1:8080/v1/context?format=text&user_id=c+1%2FAda%26Bo\n"
	if string(out) != want {
		t.Errorf("got %s", out)
	}
}
