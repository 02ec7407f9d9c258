import NukeBatch

extension Command {
    /// Does what the command is for.
    func perform(_ arguments: Arguments) async -> ExitCode {
        switch name {
        case "plan": await PlanCommand.perform(arguments)
        case "validate": ValidateCommand.perform(arguments)
        case "status": await StatusCommand.perform(arguments)
        case "explain": ExplainCommand.perform(arguments)
        case "export": ExportCommand.perform(arguments)
        case "report": ReportCommand.perform(arguments)
        case "log": LogCommand.perform(arguments)
        case "items": ItemsCommand.perform(arguments)
        case "verify": await VerifyCommand.perform(self, arguments)
        case "prune": PruneCommand.perform(arguments)
        case "cache": CacheCommand.perform(arguments)
        case "doctor": await DoctorCommand.perform(arguments)
        case "completions": InstallationCommand.completions(arguments)
        case "manual": InstallationCommand.manual()
        case "version": VersionCommand.perform()
        default: await RunCommand.perform(self, arguments)
        }
    }
}
