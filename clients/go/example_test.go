package client_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	client "kith/clients/go"
)

// TestMain skips the examples, and says so, unless KITH_URL and KITH_KEY name a Kith and an API key that may read and write.
func TestMain(m *testing.M) {
	flag.Parse()
	if os.Getenv("KITH_URL") == "" {
		fmt.Fprintln(os.Stderr, "KITH_URL is not set: the examples do not run")
		if err := flag.Set("test.skip", "^Example"); err != nil {
			panic(err)
		}
	}
	m.Run()
}

// A conversation from its start to its end. Like all examples it needs a Kith: see TestMain.
func Example() {
	ctx := context.Background()
	kith := client.New(os.Getenv("KITH_URL"), os.Getenv("KITH_KEY"), nil)

	_, err := kith.WriteMemory(ctx, &client.MemoryWrite{
		UserID: "u1",
		Nodes: []client.NodeWrite{
			{Kind: "person", EntityKey: "p-ada", Name: client.Some("Ada"), IsOwner: client.Some(true)},
			{Kind: "person", EntityKey: "p-jon", Name: client.Some("Jon"), State: client.Some("active")},
		},
		Relationships: []client.RelationshipWrite{
			{From: "p-ada", To: "p-jon", Type: "has_relationship_with", Description: client.Some("her brother, back from sea")},
		},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	opened, err := kith.OpenConversation(ctx, &client.OpenConversationRequest{UserID: "u1", ContextType: client.Some("planning")})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, r := range opened.Context.Relationships {
		fmt.Printf("%s: %s\n", r.Node.Name, r.RelationshipDescription)
	}
	_, err = kith.AppendMessages(ctx, opened.ConversationID, &client.AppendMessagesRequest{Messages: []client.MessageWrite{{Role: "user", Text: "Jon sails on Sunday."}}})
	if err != nil {
		fmt.Println(err)
		return
	}
	ended, err := kith.EndConversation(ctx, opened.ConversationID, &client.ConversationEnd{Summary: client.Some("Jon sails on Sunday."), Mentions: []string{"p-jon"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(ended.Status)
	// Output:
	// Jon: her brother, back from sea
	// updated
}

// A refused request returns an Error that locates every fault.
func ExampleError() {
	kith := client.New(os.Getenv("KITH_URL"), os.Getenv("KITH_KEY"), nil)
	_, err := kith.WriteMemory(context.Background(), &client.MemoryWrite{Nodes: []client.NodeWrite{{Kind: "spaceship"}}})
	var refused *client.Error
	if errors.As(err, &refused) {
		fmt.Println(refused.Status, refused.Errors[0].Location)
	}
	// Output:
	// 422 body.nodes[0].kind
}

// A team's memory can be exported as a stream, and imported again as one.
func ExampleClient_Export() {
	ctx := context.Background()
	kith := client.New(os.Getenv("KITH_URL"), os.Getenv("KITH_KEY"), nil)
	stream, err := kith.Export(ctx)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = stream.Close() }()
	lines, err := io.ReadAll(stream)
	if err != nil {
		fmt.Println(err)
		return
	}
	report, err := kith.Import(ctx, strings.NewReader(string(lines)), client.ImportQuery{DryRun: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(report.Nodes.Created, report.Nodes.Unchanged > 0)
	// Output:
	// 0 true
}
