// The inbox of notices: the count in the rail, and the Heartbeat page.

import { useQuery } from "@tanstack/react-query";
import { call } from "@/bridge";
import { keys } from "./queries";

export const useNotices = () => useQuery({ queryKey: keys.notices, queryFn: () => call("notices_list") });
