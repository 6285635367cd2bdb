namespace HybridCaching.Tests.Devices;

/// <summary>The directory is deleted under the cache. Nobody has to make it again.</summary>
public sealed class DeletedFolderTests(DeletedFolderTests.DeletedFolder fault) : DiskFaultTests<DeletedFolderTests.DeletedFolder>(fault), IClassFixture<DeletedFolderTests.DeletedFolder>
{
    public sealed class DeletedFolder : DiskFault
    {
        private readonly TestDirectory _directory = new();

        public override void Dispose() => _directory.Dispose();

        protected override string Prepare() => _directory.Combine("caches");

        /// <summary>A file in its place keeps the cache from making it again.</summary>
        protected override void Break()
        {
            Directory.Move(_directory.Combine("caches"), _directory.Combine("away"));
            File.WriteAllText(_directory.Combine("caches"), "mine");
            Directory.Delete(_directory.Combine("away"), recursive: true);
        }

        protected override bool TryMend()
        {
            File.Delete(_directory.Combine("caches"));
            return true;
        }
    }
}
