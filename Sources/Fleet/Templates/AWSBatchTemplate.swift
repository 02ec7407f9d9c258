import Files
import JobManifest

/// A job definition and an array job of AWS Batch.
enum AWSBatchTemplate {
    /// The most children of an array job (AWS Batch User Guide, "Array jobs").
    private static let mostChildren = 10_000

    /// Sources: AWS Batch User Guide ("Array jobs", "Automated job retries"), AWS Batch API Reference (RegisterJobDefinition, SubmitJob).
    static func text(_ facts: TemplateFacts) -> String {
        // An array has at least two children; one beyond the plan succeeds at once.
        let (count, stride) = facts.tasks(most: mostChildren)
        return """
            #!/bin/bash
            # Runs the \(Quantity.count(facts.partitions, "partition")) of plan \(facts.hash.short): bash fleet.sh
            # Set QUEUE, IMAGE (a repository that the queue can pull from) and ROLE (reads and writes the store).
            set -euo pipefail
            : "${QUEUE:?name the job queue}" "${IMAGE:?name the image}" "${ROLE:?name the ARN of the job role}"

            aws batch register-job-definition --cli-input-json "$(cat <<JSON
            {
              "jobDefinitionName": "\(facts.job)",
              "type": "container",
              "containerProperties": {
                "image": "$IMAGE",
                "jobRoleArn": "$ROLE",
                "command": ["\(facts.program)", "fleet", "work", "--store", \(json(facts.store)), "--plan", "\(facts.hash)", "--from-env", "--stride", "\(stride)"],
                "resourceRequirements": [{"type": "VCPU", "value": "2"}, {"type": "MEMORY", "value": "2048"}],
                "environment": [{"name": "NUKE_BATCH_SCRATCH", "value": "/tmp"}]
              },
              "timeout": {"attemptDurationSeconds": \(60 * stride * facts.limit)},
              "retryStrategy": {
                "attempts": 8,
                "evaluateOnExit": [
                  {"onExitCode": "42", "action": "EXIT"},
                  {"onStatusReason": "Host EC2*", "action": "RETRY"},
                  {"onExitCode": "*", "action": "RETRY"}
                ]
              }
            }
            JSON
            )"
            aws batch submit-job --cli-input-json "$(cat <<JSON
            {
              "jobName": "\(facts.job)",
              "jobQueue": "$QUEUE",
              "jobDefinition": "\(facts.job)",
              "arrayProperties": {"size": \(max(2, count))}
            }
            JSON
            )"

            """
    }

    /// A string of JSON in a here-document, in which the shell expands variables.
    private static func json(_ text: String) -> String {
        ["\\", "$", "`"].reduce(CanonicalJSON.string(text).text) { text, special in
            text.parts(at: special).joined(separator: "\\\(special)")
        }
    }
}
