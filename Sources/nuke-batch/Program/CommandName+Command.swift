extension CommandName {
    /// The command of this name.
    var command: any Command.Type {
        switch self {
        case .resize: ResizeCommand.self
        case .convert: ConvertCommand.self
        case .initialize: InitCommand.self
        case .run: RunCommand.self
        case .warm: WarmCommand.self
        case .plan: PlanCommand.self
        case .diff: DiffCommand.self
        case .validate: ValidateCommand.self
        case .format: FmtCommand.self
        case .status: StatusCommand.self
        case .items: ItemsCommand.self
        case .duplicates: DuplicatesCommand.self
        case .explain: ExplainCommand.self
        case .log: LogCommand.self
        case .retry: RetryCommand.self
        case .verify: VerifyCommand.self
        case .adopt: AdoptCommand.self
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

extension ProgramDescription {
    /// This program, with all its commands.
    static let nukeBatch = ProgramDescription(CommandName.allCases.map(\.command))
}
