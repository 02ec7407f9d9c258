/// The names of the commands, in the order of the manual page.
enum CommandName: String, CaseIterable {
    case resize, convert
    // `init` is the name of initializers.
    case initialize = "init"
    case run, warm, plan, diff, validate
    case format = "fmt"
    case status, items, duplicates, explain, log, retry, verify, adopt, prune, cache, export, report
    case fleetPlan = "fleet plan"
    case fleetWork = "fleet work"
    case fleetStatus = "fleet status"
    case fleetCollect = "fleet collect"
    case fleetTemplate = "fleet template"
    case fleetKey = "fleet key"
    case doctor, completions, manual, version

    /// The commands that the program's help describes; it only names the others.
    static let everyday: Set<CommandName> = [
        .resize, .run, .plan, .validate, .status, .items, .explain, .retry, .report,
    ]
}
