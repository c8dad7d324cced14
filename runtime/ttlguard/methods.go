package ttlguard

import (
	"strings"

	"cloud.google.com/go/bigtable/admin/apiv2/adminpb"
	"cloud.google.com/go/bigtable/apiv2/bigtablepb"
	"google.golang.org/protobuf/proto"
)

const (
	dataService   = "/google.bigtable.v2.Bigtable/"
	tableAdmin    = "/google.bigtable.admin.v2.BigtableTableAdmin/"
	instanceAdmin = "/google.bigtable.admin.v2.BigtableInstanceAdmin/"
)

// messages are the requests that are judged, by the full names of their
// methods, and of those whose responses matter the responses.
var messages = map[string]struct{ request, response proto.Message }{
	bigtablepb.Bigtable_MutateRow_FullMethodName:          {&bigtablepb.MutateRowRequest{}, nil},
	bigtablepb.Bigtable_MutateRows_FullMethodName:         {&bigtablepb.MutateRowsRequest{}, &bigtablepb.MutateRowsResponse{}},
	bigtablepb.Bigtable_CheckAndMutateRow_FullMethodName:  {&bigtablepb.CheckAndMutateRowRequest{}, nil},
	bigtablepb.Bigtable_ReadModifyWriteRow_FullMethodName: {&bigtablepb.ReadModifyWriteRowRequest{}, nil},
	bigtablepb.Bigtable_ReadRows_FullMethodName:           {&bigtablepb.ReadRowsRequest{}, nil},
	bigtablepb.Bigtable_ReadChangeStream_FullMethodName:   {&bigtablepb.ReadChangeStreamRequest{}, nil},
	bigtablepb.Bigtable_ExecuteQuery_FullMethodName:       {&bigtablepb.ExecuteQueryRequest{}, nil},
	bigtablepb.Bigtable_PrepareQuery_FullMethodName:       {&bigtablepb.PrepareQueryRequest{}, nil},
	tableAdmin + "CreateTable":                            {&adminpb.CreateTableRequest{}, nil},
	tableAdmin + "ModifyColumnFamilies":                   {&adminpb.ModifyColumnFamiliesRequest{}, nil},
	instanceAdmin + "CreateLogicalView":                   {&adminpb.CreateLogicalViewRequest{}, nil},
	instanceAdmin + "UpdateLogicalView":                   {&adminpb.UpdateLogicalViewRequest{}, nil},
	instanceAdmin + "CreateMaterializedView":              {&adminpb.CreateMaterializedViewRequest{}, nil},
	instanceAdmin + "UpdateMaterializedView":              {&adminpb.UpdateMaterializedViewRequest{}, nil},
}

// sessions are the methods whose streams carry requests of their own. Clients
// from before v1.48 have no types for them.
var sessions = map[string]bool{
	dataService + "OpenTable":            true,
	dataService + "OpenAuthorizedView":   true,
	dataService + "OpenMaterializedView": true,
}

// harmless are the methods whose requests can break no agreement, with the
// reason.
var harmless = reasons(map[string]string{
	"names rows, and returns no cells": dataService + "SampleRowKeys",
	"says that a client is there":      dataService + "PingAndWarm",
	"asks how to connect":              dataService + "GetClientConfiguration",
	"returns ranges of row keys":       dataService + "GenerateInitialChangeStreamPartitions",

	"is about machines and who may use them": instanceAdmin +
		"CreateInstance GetInstance ListInstances UpdateInstance PartialUpdateInstance DeleteInstance" +
		" CreateCluster GetCluster ListClusters UpdateCluster PartialUpdateCluster DeleteCluster ListHotTablets" +
		" CreateAppProfile GetAppProfile ListAppProfiles UpdateAppProfile DeleteAppProfile" +
		" GetMemoryLayer ListMemoryLayers UpdateMemoryLayer" +
		" GetIamPolicy SetIamPolicy TestIamPermissions",
	"returns or drops the definition of a view": instanceAdmin +
		"GetLogicalView ListLogicalViews DeleteLogicalView" +
		" GetMaterializedView ListMaterializedViews DeleteMaterializedView",

	"returns what is defined": tableAdmin +
		"GetTable ListTables GetAuthorizedView ListAuthorizedViews GetSchemaBundle ListSchemaBundles" +
		" GetBackup ListBackups GetSnapshot ListSnapshots" +
		" GenerateConsistencyToken CheckConsistency GetIamPolicy",
	"says who may use a table": tableAdmin + "SetIamPolicy TestIamPermissions",
	"deletes what it names, whatever its timestamps": tableAdmin +
		"DeleteTable DropRowRange DeleteAuthorizedView DeleteSchemaBundle DeleteBackup DeleteSnapshot",
	"changes no family: the service refuses a mask of families": tableAdmin + "UpdateTable",
	"brings back a table with the policies that it had":         tableAdmin + "UndeleteTable RestoreTable CreateTableFromSnapshot",
	"copies a table, or says how long the copy is kept":         tableAdmin + "CreateBackup CopyBackup UpdateBackup SnapshotTable",
	"says which part of a table is seen, and sets no policy":    tableAdmin + "CreateAuthorizedView UpdateAuthorizedView",
	"says how values are read":                                  tableAdmin + "CreateSchemaBundle UpdateSchemaBundle",
})

// reasons returns the reason by each method, from a service's methods by their
// reason.
func reasons(methods map[string]string) map[string]string {
	all := map[string]string{}
	for reason, names := range methods {
		end := strings.LastIndexByte(names, '/') + 1
		for _, name := range strings.Fields(names[end:]) {
			all[names[:end]+name] = reason
		}
	}
	return all
}

// ours reports whether a method is Bigtable's.
func ours(method string) bool { return strings.HasPrefix(method, "/google.bigtable.") }

// split returns the service and the method in a full name.
func split(full string) (service, method string) {
	i := strings.LastIndexByte(full, '/')
	return strings.Trim(full[:i+1], "/"), full[i+1:]
}

// Messages returns new messages for a method: the request, nil if it is not
// one that is judged by itself, and the response, nil if it does not matter to
// [Call.Received].
func Messages(method string) (request, response proto.Message) {
	m := messages[method]
	if m.request != nil {
		request = m.request.ProtoReflect().New().Interface()
	}
	if m.response != nil {
		response = m.response.ProtoReflect().New().Interface()
	}
	return request, response
}
