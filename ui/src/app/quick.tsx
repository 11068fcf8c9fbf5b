// The quick prompt's window.

import { QuickPrompt } from "@/features/quick/QuickPrompt";
import { start } from "./start";

void start(<QuickPrompt />);
