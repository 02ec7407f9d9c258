import NukeBatch

/// `verify`: compares finished outputs with what was recorded of them; with `--repair` makes the damaged ones again.
enum VerifyCommand {
    static func perform(_ command: Command, _ arguments: Arguments) async -> ExitCode {
        let isJSON = arguments.has("--json")
        do {
            let options = try RunOptions(arguments)
            let path = arguments.operands[0]
            let manifest = try Arguments.manifest(path)
            let verification = try Verification(manifest, options: options) { damage in
                Output.result(isJSON ? JSONLine.text(damage) : text(damage))
            }
            let damaged = verification.damaged.count
            Output.result(
                isJSON
                    ? JSONLine.text(["checked": verification.checked, "damaged": damaged])
                    : "\(verification.checked) outputs checked, \(damaged) damaged"
            )
            guard damaged > 0 else { return .done }
            guard arguments.has("--repair") else {
                if !isJSON { Output.result("to make them again: nuke-batch verify \(path) --repair") }
                return .someFailed
            }
            try verification.forgetDamaged()
            return await RunCommand.perform(command, arguments)
        } catch {
            return Failure.report(error)
        }
    }

    private static func text(_ damage: Verification.Damage) -> String {
        Output.printable("\(damage.problem)  \(damage.path)  \(damage.message)")
    }
}
