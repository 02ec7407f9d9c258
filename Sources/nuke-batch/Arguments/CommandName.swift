/// The names of the commands, in the order of the manual page.
enum CommandName: String, CaseIterable {
    case resize, convert
    // `init` is the name of initializers.
    case initialize = "init"
    case run, warm, plan, validate, status, items, explain, log, retry, verify, prune, cache, export, report
    case fleetPlan = "fleet plan"
    case fleetWork = "fleet work"
    case fleetStatus = "fleet status"
    case fleetCollect = "fleet collect"
    case fleetTemplate = "fleet template"
    case fleetKey = "fleet key"
    case doctor, completions, manual, version

    /// The commands that the program's help describes; it only names the others.
    static let everyday: [CommandName] = [
        .resize, .run, .plan, .validate, .status, .items, .explain, .retry, .report,
    ]

    /// The first words of all commands, in the order of the help.
    static let words = allCases.reduce(into: [String]()) { words, name in
        let word = String(name.rawValue.prefix { $0 != " " })
        if words.last != word { words.append(word) }
    }

    /// The command of this name.
    var command: any Command.Type {
        switch self {
        case .resize: ResizeCommand.self
        case .convert: ConvertCommand.self
        case .initialize: InitCommand.self
        case .run: RunCommand.self
        case .warm: WarmCommand.self
        case .plan: PlanCommand.self
        case .validate: ValidateCommand.self
        case .status: StatusCommand.self
        case .items: ItemsCommand.self
        case .explain: ExplainCommand.self
        case .log: LogCommand.self
        case .retry: RetryCommand.self
        case .verify: VerifyCommand.self
        case .prune: PruneCommand.self
        case .cache: CacheCommand.self
        case .export: ExportCommand.self
        case .report: ReportCommand.self
        case .fleetPlan: FleetPlanCommand.self
        case .fleetWork: FleetWorkCommand.self
        case .fleetStatus: FleetStatusCommand.self
        case .fleetCollect: FleetCollectCommand.self
        case .fleetTemplate: FleetTemplateCommand.self
        case .fleetKey: FleetKeyCommand.self
        case .doctor: DoctorCommand.self
        case .completions: CompletionsCommand.self
        case .manual: ManualCommand.self
        case .version: VersionCommand.self
        }
    }
}
