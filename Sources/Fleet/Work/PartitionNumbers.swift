package import JobPlanning

/// The partitions that an engine gives to one of its tasks.
package enum PartitionNumbers {
    /// The variables that engines number their tasks with, in the order in which they are looked at.
    package static let variables = [
        "NUKE_BATCH_PARTITION", "SLURM_ARRAY_TASK_ID", "JOB_COMPLETION_INDEX", "AWS_BATCH_JOB_ARRAY_INDEX",
    ]

    /// Returns the partitions of the task that the environment names: `offset + index · stride` and the `stride - 1` behind it.
    /// - Throws: `RunError.wrongInput` if the environment names none, or no number.
    package static func fromEnvironment(
        _ environment: [String: String],
        offset: Int,
        stride: Int
    ) throws(RunError) -> Range<Int> {
        guard let name = variables.first(where: { environment[$0]?.isEmpty == false }),
            let text = environment[name]
        else {
            throw .wrongInput(
                "--from-env found no partition: none of \(variables.joined(separator: ", ")) is set"
            )
        }
        guard let index = Int(text), index >= 0, index <= 1 << 40 else {
            throw .wrongInput("\(name) is \"\(text)\", which is no number of a task")
        }
        let first = offset + index * stride
        return first..<(first + stride)
    }
}
