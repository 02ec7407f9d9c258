/// Running tasks: changes of their priority, and their end.
extension ImagePipeline {
    /// Returns the record of a task that ends; nil without diagnostics.
    @ImagePipelineActor
    func takeRecord(of task: ImageTask) -> TaskRecord? {
        guard let created = task.created else { return nil }
        return taskPool.records.removeValue(forKey: task) ?? TaskRecord(created: created)
    }

    /// Ends the subscription of a task that was cancelled.
    func forget(_ task: ImageTask) {
        Task { @ImagePipelineActor in
            taskPool.imageTasks.removeValue(forKey: task)?.cancel()
            if let record = takeRecord(of: task) {
                task.note(ImageTask.Metrics(record, of: task, in: self, result: .failure(.cancelled)))
            }
            delegate.imageTask(task, didReceiveEvent: .finished(.failure(.cancelled)), pipeline: self)
        }
    }

    func updatePriority(of task: ImageTask) {
        Task { @ImagePipelineActor in
            taskPool.imageTasks[task]?.setPriority(task.priority)
            taskPool.records[task]?.note(task.priority)
        }
    }

    func forget(_ task: DataTask) {
        Task { @ImagePipelineActor in
            taskPool.dataTasks.removeValue(forKey: ObjectIdentifier(task))?.subscription.cancel()
        }
    }

    func updatePriority(of task: DataTask) {
        Task { @ImagePipelineActor in
            taskPool.dataTasks[ObjectIdentifier(task)]?.subscription.setPriority(task.priority)
        }
    }
}
