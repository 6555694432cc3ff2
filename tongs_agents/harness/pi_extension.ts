/**
 * What Pi runs for tongs-agents: it tells our hook of Pi's events and registers our MCP server.
 *
 * Pi loads it as it is. It never holds Pi up, and whatever goes wrong in it stays without a
 * word: a session without us is worth more than one that complains. Only the process that
 * claimed its launch speaks for it; a Pi inside an agent's shell says nothing.
 */
import { spawn } from "node:child_process";
import { closeSync, constants, openSync, readFileSync, writeSync } from "node:fs";
import type { ExtensionAPI, ExtensionContext } from "@earendil-works/pi-coding-agent";

/** What the file that Pi was given says of this installation; nothing in it is of one launch. */
export interface Registration {
	source: "attached" | "installed";
	/** The interpreter and the file that it runs for an event. */
	hook: [string, string];
	/** Our server; null where this Pi, or its command line, has none. */
	server: { name: string; command: string; args: string[] } | null;
}

type Payload = Record<string, unknown>;

/** A hook ends by itself after five seconds; one that does not is ended. */
const HOOK_MS = 6_000;
/** So long Pi's own end waits for what was not told yet: afterwards nobody believes it. */
const END_MS = 2_000;
/** Longer than the longest wait of a tool, in seconds. */
const TOOL_SECONDS = 700;

const LAUNCH_ID = /^[0-9a-z-]{8,64}$/;
const HARNESSES = ["claude", "codex", "pi", "opencode"];
const DEPTH = 64;

/** Whose events these are: a launch's, those of a session that nobody launched, or not ours. */
function whose(source: Registration["source"], env: NodeJS.ProcessEnv): "launch" | "nobody" | "none" {
	const id = env.TONGS_AGENTS_LAUNCH_ID ?? "";
	if (id === "") return "nobody";
	const attached = env.TONGS_AGENTS_ATTACHED === "yes";
	if (!LAUNCH_ID.test(id) || (source === "installed" && attached)) return "none";
	const claimed = Number(env.TONGS_AGENTS_LAUNCH_PID);
	const wrapped = env.TONGS_AGENTS_LAUNCH_WRAPPER === "yes";
	return process.pid === claimed || (wrapped && isBelow(claimed)) ? "launch" : "none";
}

/** Below a declared wrapper we may be any descendant, but not below another harness. */
function isBelow(claimed: number): boolean {
	let pid = process.ppid;
	for (let depth = 0; depth < DEPTH && pid > 1; depth++) {
		if (pid === claimed) return true;
		const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
		const end = stat.lastIndexOf(")");
		if (HARNESSES.includes(stat.slice(stat.indexOf("(") + 1, end))) return false;
		pid = Number(stat.slice(end + 2).split(" ")[1]);
	}
	return false;
}

/** Runs the hook for one event after the other, so that their times are in order. */
class Hook {
	private last: Promise<void> = Promise.resolve();

	constructor(private readonly registration: Registration) {}

	/** Tell of an event, and go on at once. */
	tell(event: string, payload: Payload): void {
		this.last = this.last.then(() => this.run(event, payload));
	}

	/** Resolves once all was told, or after `ms`. */
	async told(ms: number): Promise<void> {
		let timer: NodeJS.Timeout | undefined;
		const late = new Promise<void>((resolve) => {
			timer = setTimeout(resolve, ms);
		});
		await Promise.race([this.last, late]);
		clearTimeout(timer);
	}

	/** One run; never rejects. */
	private run(event: string, payload: Payload): Promise<void> {
		const { hook, source } = this.registration;
		const words = ["-I", "-S", hook[1], "pi", "--from", source, event, String(process.pid)];
		return new Promise((resolve) => {
			const child = spawn(hook[0], words, {
				stdio: ["pipe", "ignore", "ignore"],
				timeout: HOOK_MS,
				killSignal: "SIGKILL",
			});
			child.on("error", () => resolve());
			child.on("close", () => resolve());
			child.stdin.on("error", () => {});
			child.stdin.end(JSON.stringify(payload));
		});
	}
}

/** The pulse of a tool event: no process, one write over what is there. */
function pulse(word: string): void {
	const runtime = process.env.TONGS_AGENTS_RUNTIME_DIR ?? "";
	if (!runtime.startsWith("/")) return;
	const path = `${runtime}/pulses/${process.env.TONGS_AGENTS_LAUNCH_ID}`;
	try {
		const flags = constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW;
		const fd = openSync(path, flags, 0o600);
		try {
			writeSync(fd, `${word.padEnd(11)}\n`);
		} finally {
			closeSync(fd);
		}
	} catch {
		// without the directory there is nobody to tell
	}
}

/** What a message says, as its user sees it; null for what is no user's message. */
function saidByUser(message: unknown): string | null {
	const { role, content } = (message ?? {}) as { role?: unknown; content?: unknown };
	if (role !== "user") return null;
	if (typeof content === "string") return content;
	const blocks = Array.isArray(content) ? content : [];
	return blocks.map((block) => (block?.type === "text" ? String(block.text) : "")).join("");
}

/** What the events of one session amount to: how its run began, and how it ended. */
class Session {
	/** A run is open: it was told that it began, and not yet that it ended. */
	private open = false;
	/** The prompt that was told of, until its own message comes by. */
	private expected: string | null = null;
	/** What was typed last, which a template or a skill may have made another text of. */
	private typed = "";
	private stop = "";
	private error = "";

	constructor(
		private readonly hook: Hook,
		private readonly isLaunch: boolean,
	) {}

	started(ctx: ExtensionContext, reason: string): void {
		this.tell(ctx, "session_start", { source: reason });
	}

	async ended(ctx: ExtensionContext, reason: string): Promise<void> {
		this.tell(ctx, "session_shutdown", { reason });
		await this.hook.told(END_MS);
	}

	input(text: string): void {
		this.typed = text;
	}

	prompted(ctx: ExtensionContext, prompt: string): void {
		this.expected = prompt;
		this.begin(ctx, "before_agent_start", { prompt, typed: this.typed });
		this.typed = "";
	}

	/** A run that nobody's prompt began: an extension's, or one that was continued. */
	running(ctx: ExtensionContext): void {
		if (!this.open) this.begin(ctx, "agent_start", {});
	}

	/** A user's message joins the run: its own prompt's, or one that steers it or was queued. */
	message(ctx: ExtensionContext, text: string): void {
		const own = text === this.expected;
		this.expected = null;
		if (!own) this.begin(ctx, "message_start", { prompt: text });
	}

	answered(message: unknown): void {
		const { role, stopReason, errorMessage } = (message ?? {}) as Record<string, unknown>;
		if (role !== "assistant") return;
		this.stop = String(stopReason ?? "");
		this.error = String(errorMessage ?? "");
	}

	settled(ctx: ExtensionContext, aborted: boolean): void {
		const interrupted = aborted || this.stop === "aborted";
		const error = this.stop === "error" ? this.error || "error" : "";
		this.open = false;
		this.tell(ctx, "agent_settled", { aborted: interrupted, error });
	}

	asks(ctx: ExtensionContext, kind: string): void {
		this.tell(ctx, "ui_prompt_start", { kind });
	}

	/** Its user answered, or the question is over: it is what it was before. */
	asked(ctx: ExtensionContext): void {
		this.tell(ctx, "ui_prompt_end", {});
	}

	tool(word: string): void {
		if (this.isLaunch) pulse(word);
	}

	private begin(ctx: ExtensionContext, event: string, payload: Payload): void {
		this.open = true;
		this.stop = "";
		this.error = "";
		this.tell(ctx, event, payload);
	}

	private tell(ctx: ExtensionContext, event: string, payload: Payload): void {
		this.hook.tell(event, {
			session_id: ctx.sessionManager.getSessionId(),
			transcript_path: ctx.sessionManager.getSessionFile() ?? "",
			cwd: ctx.cwd,
			...payload,
		});
	}
}

/** Our MCP server, by its one name; a Pi that is too old has no such call. */
function registerServer(pi: ExtensionAPI, server: Registration["server"]): void {
	if (server === null || typeof pi.registerMcpServer !== "function") return;
	const { name, command, args } = server;
	pi.registerMcpServer(name, { command, args, exposure: "direct", timeout: TOOL_SECONDS });
}

/** `act` without its errors: none of them is Pi's, or its user's, concern. */
function quietly<Words extends unknown[]>(act: (...words: Words) => unknown) {
	return async (...words: Words): Promise<void> => {
		try {
			await act(...words);
		} catch {
			// see above
		}
	};
}

/** Called by the file that Pi was given, once for each session of the process. */
export function register(pi: ExtensionAPI, registration: Registration): void {
	const side = whose(registration.source, process.env);
	if (side === "none") return;
	registerServer(pi, registration.server);
	const session = new Session(new Hook(registration), side === "launch");
	pi.on("session_start", quietly((event, ctx) => session.started(ctx, event.reason)));
	pi.on("session_shutdown", quietly((event, ctx) => session.ended(ctx, event.reason)));
	pi.on("input", quietly((event) => session.input(event.text)));
	pi.on("before_agent_start", quietly((event, ctx) => {
		const { prompt } = event as { prompt?: unknown };
		if (typeof prompt === "string") session.prompted(ctx, prompt);
	}));
	pi.on("agent_start", quietly((_event, ctx) => session.running(ctx)));
	pi.on("message_start", quietly((event, ctx) => {
		const text = saidByUser(event.message);
		if (text !== null) session.message(ctx, text);
	}));
	pi.on("message_end", quietly((event) => session.answered(event.message)));
	pi.on("agent_settled", quietly((event, ctx) => session.settled(ctx, event.aborted === true)));
	pi.on("tool_execution_start", quietly(() => session.tool("PreToolUse")));
	pi.on("tool_execution_end", quietly(() => session.tool("PostToolUse")));
	pi.on("ui_prompt_start", quietly((event, ctx) => session.asks(ctx, event.kind)));
	pi.on("ui_prompt_end", quietly((_event, ctx) => session.asked(ctx)));
}
