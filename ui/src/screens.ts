// The screens, in the order of the navigation.
import type { FunctionComponent } from "preact";
import { Context } from "./screens/context";
import { Cypher } from "./screens/cypher";
import { Explore } from "./screens/explore";
import { Node } from "./screens/node";
import { Users } from "./screens/users";

export interface Screen {
  path: string; // below /ui/
  name: string;
  screen: FunctionComponent;
  ofUser: boolean; // shows the memory of one user
  listed: boolean; // is in the navigation
}

export const screens: Screen[] = [
  { path: "", name: "Users", screen: Users, ofUser: false, listed: false },
  { path: "context", name: "Context", screen: Context, ofUser: true, listed: true },
  { path: "explore", name: "Explore", screen: Explore, ofUser: true, listed: true },
  { path: "node", name: "Node", screen: Node, ofUser: true, listed: false },
  { path: "cypher", name: "Cypher", screen: Cypher, ofUser: true, listed: true },
];
