import JobManifest

/// A call of `spark-submit`.
enum SparkTemplate {
    /// Source: Apache Spark documentation, "Submitting Applications" and "Spark Configuration".
    static func text(_ facts: TemplateFacts) -> String {
        """
        #!/bin/bash
        # Runs the \(Quantity.count(facts.partitions, "partition")) of plan \(facts.hash.short) on Spark: bash fleet.sh
        # Set MASTER (such as yarn or spark://host:7077); every executor needs the program, NUKE_BATCH names it.
        # spark.task.cpus: one worker an executor, which uses all its cores. PARTS: the tasks that prove the job complete.
        set -euo pipefail
        export NUKE_BATCH="${NUKE_BATCH:-\(facts.program)}"
        spark-submit --master "${MASTER:?name the master}" \\
          --conf spark.speculation=false \\
          --conf spark.task.maxFailures=8 \\
          --conf spark.executor.cores="${CORES:-2}" \\
          --conf spark.task.cpus="${CORES:-2}" \\
          Integrations/spark/nuke_batch.py work --store \(facts.quotedStore) --plan \(facts.hash)
        spark-submit --master "$MASTER" \\
          Integrations/spark/nuke_batch.py collect --store \(facts.quotedStore) --plan \(facts.hash) --parts "${PARTS:-1}"

        """
    }
}
