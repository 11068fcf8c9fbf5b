// The main window.

import { App } from "./App";
import { start } from "./start";

void start(<App />);
