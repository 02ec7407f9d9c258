/// An option of a command.
struct Option {
    /// With its two dashes.
    let name: String
    /// What stands for its value in the help, or nil for a flag.
    let value: String?
    let help: String
    /// Another name for it, a dash and a letter.
    let short: String?

    init(_ name: String, _ value: String? = nil, _ help: String, short: String? = nil) {
        self.name = name
        self.short = short
        self.value = value
        self.help = help
    }
}

/// A command and what it takes: the one table from which arguments are parsed and every help is printed.
struct Command {
    let name: String
    /// What follows the name in a usage line.
    let operands: String
    /// The least and the most number of operands.
    let operandCount: ClosedRange<Int>
    let summary: String
    let options: [Option]

    /// Whether `--state` selects items by their state instead of naming the state's file.
    var selectsByState: Bool {
        options.contains { $0.name == "--error" }
    }

    static let all = [
        run, warm, plan, validate, status, items, explain, log, retry, verify, prune, cache, export, report,
        doctor, completions, manual, version,
    ]

    private static let oneManifest = 1...1

    /// `items` and `retry` select by `--state`, so the place of the state has a name that every command knows.
    private static let stateFile = Option(
        "--state-file",
        "FILE",
        "where the job's state is kept (default: .nuke-batch/NAME.sqlite beside the manifest)"
    )
    private static let placement = [Option("--state", "FILE", "the same as --state-file"), stateFile]

    private static let running =
        placement + [
            Option("--destination", "DIR", "the folder that outputs go to"),
            Option("--cache", "DIR", "the folder that keeps originals"),
            Option("--concurrency", "N", "transfers at once (default 16)"),
            Option("--per-host", "N", "transfers at once to one host (default 6)"),
            Option("--rate", "RATE", "requests to one host, such as 80/s"),
            Option("--processing", "N", "images worked on at once (default: the cores)"),
            Option("--memory", "SIZE", "decoded pixels in flight (default 1GiB)"),
            Option("--max-duration", "TIME", "stop taking new items then, and exit with 5"),
            Option("--limit", "N", "stop after N items, and exit with 5 if some are left"),
            Option("--only-output", "NAME", "make this output alone"),
            Option("--offline", nil, "use what is cached and load nothing"),
            Option("--revalidate", nil, "ask the origin of every original whether it has another now"),
            Option("--refresh-encoders", nil, "make again what another version of an encoder made"),
            Option("--shard", "I/N", "the items of part I of N alone, with a state of their own"),
            Option("--fresh", nil, "forget the state; the cache is kept"),
            Option("--progress", "KIND", "auto, bar, plain or none"),
            Option("--metrics", "FILE", "keep figures of the run in FILE, as Prometheus reads them"),
            Option("--quiet", nil, "print nothing when everything went well"),
            Option("--json", nil, "print events as lines of JSON"),
            Option("--verbose", nil, "say why each item failed, as it happens"),
        ]

    /// The options of `run` that change what there is to do.
    private static let planned: Set = [
        "--state", "--state-file", "--destination", "--cache", "--rate", "--only-output", "--offline",
        "--revalidate", "--refresh-encoders", "--shard",
    ]

    private static let selecting = [
        Option("--state", "STATE,…", "items in these states"),
        Option("--error", "ERROR,…", "items with these errors, such as http_404"),
        Option("--url", "TEXT", "items whose URL contains TEXT (* stands for anything)"),
    ]

    static let run = Command(
        name: "run",
        operands: "MANIFEST",
        operandCount: oneManifest,
        summary: "do what is not done yet: load, process, write, record",
        options: running
    )
    static let warm = Command(
        name: "warm",
        operands: "MANIFEST",
        operandCount: oneManifest,
        summary: "load the originals into the cache and make no outputs",
        options: running.filter { $0.name != "--only-output" }
    )
    static let plan = Command(
        name: "plan",
        operands: "MANIFEST",
        operandCount: oneManifest,
        summary: "say what run would do; loads no image and writes nothing",
        options: running.filter { planned.contains($0.name) } + [
            Option("--items", nil, "list the items"),
            Option("--json", nil, "print the counts as JSON"),
        ]
    )
    static let validate = Command(
        name: "validate",
        operands: "MANIFEST…",
        operandCount: 0...Int.max,
        summary: "check manifests and name every error with its place",
        options: [
            Option("--json", nil, "print the errors as lines of JSON"),
            Option("--schema", nil, "print the JSON Schema of manifests, for editors"),
        ]
    )
    static let status = Command(
        name: "status",
        operands: "MANIFEST",
        operandCount: oneManifest,
        summary: "counts by state, rate and time left, and the last runs",
        options: placement + [
            Option("--watch", nil, "follow the run that is going on, until it ends"),
            Option("--json", nil, "print it as JSON"),
        ]
    )
    static let items = Command(
        name: "items",
        operands: "MANIFEST",
        operandCount: oneManifest,
        summary: "list items with their states, errors and outputs",
        options: selecting + [
            stateFile,
            Option("--json", nil, "a line of JSON an item"),
            Option("--csv", nil, "comma-separated values, a row an item"),
        ]
    )
    static let explain = Command(
        name: "explain",
        operands: "MANIFEST URL|PATH|ID",
        operandCount: 2...2,
        summary: "tell the life of one item: requests, cache, attempts, outputs, and why",
        options: placement + [Option("--json", nil, "a line of JSON an item")]
    )
    static let export = Command(
        name: "export",
        operands: "MANIFEST",
        operandCount: oneManifest,
        summary: "items and outputs with all that is known of them",
        options: selecting + [
            stateFile,
            Option("--csv", nil, "comma-separated values by RFC 4180, a row an item (the default)"),
            Option("--formula-safe", nil, "an apostrophe before texts that a spreadsheet would calculate"),
            Option("--json", nil, "a line of JSON an item"),
        ]
    )
    static let report = Command(
        name: "report",
        operands: "MANIFEST",
        operandCount: oneManifest,
        summary: "one page of HTML: totals, failures, times, sizes, before and after",
        options: placement + [
            Option("--output", "FILE", "where the page goes (default: standard output)", short: "-o")
        ]
    )
    static let log = Command(
        name: "log",
        operands: "MANIFEST",
        operandCount: oneManifest,
        summary: "list what went over the network, the newest 100,000 requests",
        options: placement + [
            Option(
                "--har",
                "FILE",
                "write it as HAR 1.2, for browsers' developer tools (- for standard output)"
            ),
            Option("--json", nil, "a line of JSON a request"),
        ]
    )
    static let retry = Command(
        name: "retry",
        operands: "MANIFEST",
        operandCount: oneManifest,
        summary: "put failed and quarantined items back, then run",
        options: selecting + [
            Option(
                "--priority",
                "PRIORITY",
                "give waiting items this one instead, also while a run is going on: veryLow … veryHigh"
            )
        ] + running.filter { $0.name != "--state" && $0.name != "--fresh" }
    )
    static let verify = Command(
        name: "verify",
        operands: "MANIFEST",
        operandCount: oneManifest,
        summary: "check each finished output against its recorded size and hash",
        options: [
            Option("--repair", nil, "make the damaged ones again, then do what run does")
        ] + running.filter { $0.name != "--fresh" }
    )
    static let prune = Command(
        name: "prune",
        operands: "MANIFEST",
        operandCount: oneManifest,
        summary: "list the outputs that no item makes any more",
        options: placement + [
            Option("--delete", nil, "remove them; a file that somebody has changed stays"),
            Option("--destination", "DIR", "the folder that outputs go to"),
            Option("--json", nil, "a line of JSON a file"),
        ]
    )
    static let cache = Command(
        name: "cache",
        operands: "stat|list|get|remove|verify|trim|clear [MANIFEST]",
        operandCount: 1...2,
        summary: "look after the originals",
        options: [
            Option(
                "--cache",
                "DIR",
                "the folder that keeps originals (default: the manifest's, or the shared one)"
            ),
            Option(
                "--url",
                "TEXT",
                "of list, get and remove: the URL, or text in it (* stands for anything)"
            ),
            Option("--output", "FILE", "of get: where the bytes go (default: standard output)"),
            Option("--size", "SIZE", "of trim: how much may stay (default: the manifest's cache.sizeLimit)"),
            Option("--json", nil, "print it as JSON"),
        ]
    )
    static let doctor = Command(
        name: "doctor",
        operands: "[MANIFEST]",
        operandCount: 0...1,
        summary: "check the libraries and the machine, and a job's state and cache",
        options: placement + [
            Option("--rebuild", nil, "make a damaged state anew from what can be proved of it"),
            Option("--json", nil, "print it as JSON"),
        ]
    )
    static let completions = Command(
        name: "completions",
        operands: "bash|zsh|fish",
        operandCount: 1...1,
        summary: "print the completions for a shell",
        options: []
    )
    static let manual = Command(
        name: "manual",
        operands: "",
        operandCount: 0...0,
        summary: "print the manual page, for man",
        options: []
    )
    static let version = Command(
        name: "version",
        operands: "",
        operandCount: 0...0,
        summary: "the version of nuke-batch and of the libraries in it",
        options: []
    )
}
